#pragma once

#include <stddef.h>

/* The documents of the requirements and their sections: the rows of iw_rfc_section.def. */

struct iw_rfc_document {
    const char *name; /* as in iw_requirement.document, such as "RFC 5044" */
    const char *title;
};

struct iw_rfc_section {
    const char *document;
    const char *number; /* as in iw_requirement.section, such as "4.4", or "AppA.1" */
    const char *title;
};

enum {
#define IW_RFC_DOCUMENT(document, title) +1
#define IW_RFC_SECTION(document, section, title)
    IW_RFC_DOCUMENT_COUNT = 0
#include "iw_rfc_section.def"
    ,
#define IW_RFC_DOCUMENT(document, title)
#define IW_RFC_SECTION(document, section, title) +1
    IW_RFC_SECTION_COUNT = 0
#include "iw_rfc_section.def"
};

extern const struct iw_rfc_document iw_rfc_documents[IW_RFC_DOCUMENT_COUNT];

/* All sections of a document follow each other, in its order. */
extern const struct iw_rfc_section iw_rfc_sections[IW_RFC_SECTION_COUNT];

/* Writes what the document calls the section: "4.4", "Appendix A", "A.1". */
enum { IW_RFC_LABEL_OCTETS = 32 };
void iw_rfc_section_label(const struct iw_rfc_section *section, char label[IW_RFC_LABEL_OCTETS]);

/* Writes the name of the file that holds the published text: "rfc5044.txt",
 * "draft-talpey-rdma-commit-01.txt". */
enum { IW_RFC_FILE_OCTETS = 64 };
void iw_rfc_file_name(const struct iw_rfc_document *document, char name[IW_RFC_FILE_OCTETS]);
