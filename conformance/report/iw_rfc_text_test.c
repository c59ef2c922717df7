#include "iw_rfc_text.h"

#include <sys/stat.h>

#include "iw_outcome_test.h"

/* The texts below are made up; only the numbers and titles of the sections are those of RFC 6580. */
#define HEAD                                                                                                 \
    "Request for Comments: 6580\n\nTable of Contents\n\n"                                                    \
    "   1. Introduction ....................................................2\n"                             \
    "   3. IANA Considerations .............................................2\n"                             \
    "      3.1. RDMAP Errors ................................................3\n"                            \
    "\n\nSomebody                     Standards Track                    [Page 1]\n\f\n"                     \
    "RFC 6580                         Registries                    April 2012\n\n\n"
#define BODY                                                                                                 \
    "1.  Introduction\n\n   One.\n\n"                                                                        \
    "2.  Security Considerations\n\n   Two: the list\n\n   3. IANA has items\n\n"                            \
    "3.  IANA Considerations\n\n   Three before the break,\n"                                                \
    "\n\nSomebody                     Standards Track                   [Page 22]\n\f\n"                     \
    "RFC 6580                         Registries                    April 2012\n\n\n"                        \
    "   after it.\n\n"                                                                                       \
    "3.1.  RDMAP Errors\n\n   <b>Three\tone</b>\n\n"                                                         \
    "3.3  MPA Errors\n"                                                                                      \
    "3.5  SCTP Function Codes for DDP Stream\n      Session Control\n\n   Five.  \r\n"

static size_t document_of(const char *name) {
    size_t i = 0;

    while (strcmp(iw_rfc_documents[i].name, name) != 0)
        i++;
    return i;
}

static void take(struct iw_rfc_texts *texts, const char *document, const char *octets, size_t count) {
    char *copy = malloc(count + 1);

    assert_non_null(copy);
    memcpy(copy, octets, count);
    iw_rfc_texts_take(texts, document_of(document), copy, count);
}

/* The text of the section; NULL: it was not found. */
static const char *section_of(const struct iw_rfc_texts *texts, const char *document, const char *number) {
    static char text[512];

    for (size_t i = 0; i < IW_RFC_SECTION_COUNT; i++) {
        if (strcmp(iw_rfc_sections[i].document, document) != 0 ||
            strcmp(iw_rfc_sections[i].number, number) != 0)
            continue;
        if (texts->sections[i].begin == NULL)
            return NULL;
        snprintf(text, sizeof text, "%.*s", (int)texts->sections[i].octets, texts->sections[i].begin);
        return text;
    }
    fail_msg("%s has no section %s", document, number);
    return NULL;
}

static void sections_are_found_without_page_breaks(void **state) {
    struct iw_rfc_texts texts = {0};

    (void)state;
    take(&texts, "RFC 6580", HEAD BODY, strlen(HEAD BODY));
    assert_string_equal(section_of(&texts, "RFC 6580", "1"), "   One.");
    assert_string_equal(section_of(&texts, "RFC 6580", "2"), "   Two: the list\n\n   3. IANA has items");
    assert_string_equal(section_of(&texts, "RFC 6580", "3"), "   Three before the break,\n\n   after it.");
    assert_string_equal(section_of(&texts, "RFC 6580", "3.1"), "   <b>Three one</b>");
    assert_string_equal(section_of(&texts, "RFC 6580", "3.5"), "   Five.");
    assert_null(section_of(&texts, "RFC 6580", "3.2"));
    assert_null(section_of(&texts, "RFC 5044", "3"));
    iw_rfc_texts_clear(&texts);
}

/* A title may end with a parenthesis. */
static void titles_are_compared_whole(void **state) {
    static const char text[] = "2.3.  Direct Data Placement\nWrong.\n"
                               "2.3.  Direct Data Placement (DDP)\nOne.\n";
    struct iw_rfc_texts texts = {0};

    (void)state;
    take(&texts, "RFC 5041", text, strlen(text));
    assert_string_equal(section_of(&texts, "RFC 5041", "2.3"), "One.");
    iw_rfc_texts_clear(&texts);
}

static void headings_in_markdown_and_of_appendices_are_found(void **state) {
    static const char text[] = "## **3.1. RDMAP Extensions**\nOne.\n1. RDMAP Extensions of a list\n"
                               "### [3.1.2.3.](#) RDMA Verify Ordering\nTwo.\n"
                               "## Appendix A. DDP Segment Formats for RDMA Extensions\nThree.\n"
                               "### A.1. DDP Segment for RDMA Flush Request\nFour.";
    struct iw_rfc_texts texts = {0};
    const char *draft = "draft-talpey-rdma-commit-01";

    (void)state;
    take(&texts, draft, text, strlen(text));
    assert_string_equal(section_of(&texts, draft, "3.1"), "One.\n1. RDMAP Extensions of a list");
    assert_string_equal(section_of(&texts, draft, "3.1.2.3"), "Two.");
    assert_string_equal(section_of(&texts, draft, "AppA"), "Three.");
    assert_string_equal(section_of(&texts, draft, "AppA.1"), "Four.");
    iw_rfc_texts_clear(&texts);
}

/* Every span is inside of the text, whatever the octets are. */
static void take_hostile(const char *octets, size_t count) {
    struct iw_rfc_texts texts = {0};
    size_t document = document_of("RFC 6580");

    take(&texts, "RFC 6580", octets, count);
    for (size_t i = 0; i < IW_RFC_SECTION_COUNT; i++) {
        const struct iw_rfc_span *span = &texts.sections[i];

        if (span->begin == NULL)
            continue;
        assert_true(span->begin >= texts.octets[document]);
        assert_true(span->begin + span->octets <= texts.octets[document] + count + 1);
        assert_null(memchr(span->begin, '\0', span->octets));
    }
    iw_rfc_texts_clear(&texts);
}

static void any_octets_are_accepted(void **state) {
    static const char whole[] = HEAD BODY;
    static const char odd[] = " \n\f]\r1.3Introduction[Page 7]#*A";
    char octets[sizeof whole];
    unsigned seed = 1;

    (void)state;
    for (size_t count = 0; count < sizeof whole; count++) /* with its NUL, too */
        take_hostile(whole, count + 1);
    take_hostile("", 0);
    for (unsigned round = 0; round < 2000; round++) {
        size_t count = sizeof whole;

        memcpy(octets, whole, count);
        for (unsigned i = 0; i < 1 + round % 40; i++) {
            seed = seed * 1103515245 + 12345;
            octets[(seed >> 8) % count] =
                round % 2 == 0 ? (char)(seed >> 24) : odd[(seed >> 20) % sizeof odd];
        }
        take_hostile(octets, count);
    }
}

/* ---- files ---- */

static enum iw_status read_folder(struct outcome_test *test, struct iw_rfc_texts *texts, char **said) {
    size_t octets;
    FILE *diagnostics = open_memstream(said, &octets);
    enum iw_status status = iw_rfc_texts_read(texts, test->folder, diagnostics);

    fclose(diagnostics);
    return status;
}

static void a_folder_may_lack_documents_and_sections(void **state) {
    struct outcome_test test;
    struct iw_rfc_texts texts;
    char *said;

    (void)state;
    outcome_begin(&test);
    outcome_write(&test, "rfc6580.txt", HEAD BODY);
    assert_int_equal(read_folder(&test, &texts, &said), IW_OK);
    assert_string_equal(section_of(&texts, "RFC 6580", "1"), "   One.");
    assert_non_null(strstr(said, "/rfc6580.txt lacks the section 3.2, 3.4, 4, 5, 6\n"));
    assert_non_null(strstr(said, "/rfc5044.txt: No such file or directory\n"));
    iw_rfc_texts_clear(&texts);
    free(said);
    outcome_end(&test);
}

/* A FIFO without a writer would block the program, a device could be endless. */
static void other_files_and_large_files_are_rejected(void **state) {
    struct outcome_test test;
    struct iw_rfc_texts texts;
    char path[TEMPORARY_FILE], *said;

    (void)state;
    outcome_begin(&test);
    snprintf(path, sizeof path, "%s/rfc5040.txt", test.folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/rfc5041.txt", test.folder);
    assert_int_equal(mkdir(path, 0700), 0);
    outcome_write(&test, "rfc5044.txt", "");
    assert_int_equal(truncate(test.path, IW_RFC_TEXT_MAX + 1), 0);
    assert_int_equal(read_folder(&test, &texts, &said), IW_ERR_IO);
    assert_non_null(strstr(said, "/rfc5040.txt: not a regular file\n"));
    assert_non_null(strstr(said, "/rfc5041.txt: Is a directory\n"));
    assert_non_null(strstr(said, "/rfc5044.txt: larger than 4194304 octets\n"));
    iw_rfc_texts_clear(&texts);
    free(said);
    outcome_end(&test);
}

/* With the published texts at hand, every section of the table is found in them; drafts exist in several
 * forms. */
static void every_section_is_in_the_published_text(void **state) {
    const char *folder = getenv("WARPCHECK_RFC_TEXT");
    struct iw_rfc_texts texts;

    (void)state;
    if (folder == NULL)
        skip();
    assert_int_equal(iw_rfc_texts_read(&texts, folder, stderr), IW_OK);
    for (size_t i = 0; i < IW_RFC_SECTION_COUNT; i++)
        if (strncmp(iw_rfc_sections[i].document, "RFC ", 4) == 0 && texts.sections[i].begin == NULL)
            fail_msg("%s lacks the section %s", iw_rfc_sections[i].document, iw_rfc_sections[i].number);
    iw_rfc_texts_clear(&texts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_found_without_page_breaks),
        cmocka_unit_test(titles_are_compared_whole),
        cmocka_unit_test(headings_in_markdown_and_of_appendices_are_found),
        cmocka_unit_test(any_octets_are_accepted),
        cmocka_unit_test(a_folder_may_lack_documents_and_sections),
        cmocka_unit_test(other_files_and_large_files_are_rejected),
        cmocka_unit_test(every_section_is_in_the_published_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
