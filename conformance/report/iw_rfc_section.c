#include "iw_rfc_section.h"

#include <stdio.h>
#include <string.h>

const struct iw_rfc_document iw_rfc_documents[IW_RFC_DOCUMENT_COUNT] = {
#define IW_RFC_DOCUMENT(document, title) {document, title},
#define IW_RFC_SECTION(document, section, title)
#include "iw_rfc_section.def"
};

const struct iw_rfc_section iw_rfc_sections[IW_RFC_SECTION_COUNT] = {
#define IW_RFC_DOCUMENT(document, title)
#define IW_RFC_SECTION(document, section, title) {document, section, title},
#include "iw_rfc_section.def"
};

void iw_rfc_section_label(const struct iw_rfc_section *section, char label[IW_RFC_LABEL_OCTETS]) {
    const char *number = section->number;

    if (strncmp(number, "App", 3) != 0)
        snprintf(label, IW_RFC_LABEL_OCTETS, "%s", number);
    else
        snprintf(label, IW_RFC_LABEL_OCTETS, "%s%s", number[4] == '\0' ? "Appendix " : "", number + 3);
}

void iw_rfc_file_name(const struct iw_rfc_document *document, char name[IW_RFC_FILE_OCTETS]) {
    if (strncmp(document->name, "RFC ", 4) == 0)
        snprintf(name, IW_RFC_FILE_OCTETS, "rfc%s.txt", document->name + 4);
    else
        snprintf(name, IW_RFC_FILE_OCTETS, "%s.txt", document->name);
}
