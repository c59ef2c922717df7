#pragma once

#include <stdio.h>

#include "iw_rfc_section.h"
#include "iw_status.h"

/* The published texts of the documents, from files that the user has. They are not part of warpcheck. The
 * files are untrusted: any octets give at worst no section. */

enum { IW_RFC_TEXT_MAX = 4 << 20 }; /* maximum octets of a file */

struct iw_rfc_span {
    const char *begin; /* NULL: the file is missing, or lacks the section */
    size_t octets;
};

struct iw_rfc_texts {
    char *octets[IW_RFC_DOCUMENT_COUNT];               /* NULL: no file */
    struct iw_rfc_span sections[IW_RFC_SECTION_COUNT]; /* without the heading, and without page breaks */
};

/* Reads the files that iw_rfc_file_name names in `folder`. For each file that cannot be read, and for each
 * file that lacks sections, `diagnostics` gets a line. Returns IW_ERR_IO if no file could be read, or
 * IW_ERR_NOMEM. Clear `texts` in any case. */
enum iw_status iw_rfc_texts_read(struct iw_rfc_texts *texts, const char *folder, FILE *diagnostics);
void iw_rfc_texts_clear(struct iw_rfc_texts *texts);

/* Finds the sections of a document in `octets`, which has one more octet than `count`, and which `texts` then
 * owns. Returns the number of sections that the text lacks. */
size_t iw_rfc_texts_take(struct iw_rfc_texts *texts, size_t document, char *octets, size_t count);
