#include "iw_rfc_section.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_requirement.h"

static bool is_listed(const char *document) {
    for (size_t i = 0; i < IW_RFC_DOCUMENT_COUNT; i++)
        if (strcmp(iw_rfc_documents[i].name, document) == 0)
            return true;
    return false;
}

static void each_requirement_is_in_one_section(void **state) {
    (void)state;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        unsigned found = 0;

        for (size_t j = 0; j < IW_RFC_SECTION_COUNT; j++)
            found += strcmp(iw_rfc_sections[j].document, iw_requirements[i].document) == 0 &&
                     strcmp(iw_rfc_sections[j].number, iw_requirements[i].section) == 0;
        if (found != 1)
            fail_msg("%u sections of %s are numbered %s", found, iw_requirements[i].document,
                iw_requirements[i].section);
    }
}

static void each_section_is_of_a_document_and_has_a_title(void **state) {
    (void)state;
    assert_true(IW_RFC_DOCUMENT_COUNT >= 9);
    for (size_t i = 0; i < IW_RFC_SECTION_COUNT; i++) {
        if (!is_listed(iw_rfc_sections[i].document))
            fail_msg("%s is no document", iw_rfc_sections[i].document);
        assert_true(strlen(iw_rfc_sections[i].title) >= 3);
    }
}

/* Numbers ascend, and no level is left out: after 4.1 comes 4.1.1, 4.2 or 5. */
static bool follows(const char *before, const char *after) {
    size_t same = 0, start;
    char *end;
    long one, two;

    while (before[same] != '\0' && before[same] == after[same])
        same++;
    if (before[same] == '\0')
        return strncmp(after + same, ".1", 2) == 0 && after[same + 2] == '\0';
    if (strncmp(after, "App", 3) == 0 && after[4] == '\0')
        return strncmp(before, "App", 3) != 0 ? after[3] == 'A' : after[3] == before[3] + 1;
    for (start = same; start > 0 && before[start - 1] != '.'; start--)
        continue;
    if (strncmp(before, "App", 3) == 0 && start < 5)
        return false;
    one = strtol(before + start, NULL, 10);
    two = strtol(after + start, &end, 10);
    return *end == '\0' && two == one + 1;
}

static void no_section_is_left_out(void **state) {
    (void)state;
    for (size_t i = 0; i < IW_RFC_SECTION_COUNT; i++) {
        const struct iw_rfc_section *section = &iw_rfc_sections[i];
        bool first = i == 0 || strcmp(section[-1].document, section->document) != 0;

        if (first ? strcmp(section->number, "1") != 0 : !follows(section[-1].number, section->number))
            fail_msg(
                "%s: %s follows %s", section->document, section->number, first ? "" : section[-1].number);
    }
}

static void labels_are_those_of_the_documents(void **state) {
    static const struct {
        const char *number, *label;
    } rows[] = {{"4.4", "4.4"}, {"10", "10"}, {"AppA", "Appendix A"}, {"AppA.4", "A.4"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_rfc_section section = {.number = rows[i].number};
        char label[IW_RFC_LABEL_OCTETS];

        iw_rfc_section_label(&section, label);
        assert_string_equal(label, rows[i].label);
    }
}

static void files_are_named_as_published(void **state) {
    static const struct iw_rfc_document rfc = {.name = "RFC 5044"}, draft = {.name = "draft-x-01"};
    char name[IW_RFC_FILE_OCTETS];

    (void)state;
    iw_rfc_file_name(&rfc, name);
    assert_string_equal(name, "rfc5044.txt");
    iw_rfc_file_name(&draft, name);
    assert_string_equal(name, "draft-x-01.txt");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_requirement_is_in_one_section),
        cmocka_unit_test(each_section_is_of_a_document_and_has_a_title),
        cmocka_unit_test(no_section_is_left_out),
        cmocka_unit_test(labels_are_those_of_the_documents),
        cmocka_unit_test(files_are_named_as_published),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
