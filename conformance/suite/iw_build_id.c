#define _GNU_SOURCE /* dl_iterate_phdr */
#include "iw_build_id.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Notes of a segment are a head, a name and a description; the latter two are padded to its alignment. */
static size_t build_id_padded(size_t octets, size_t align) {
    return (octets + align - 1) / align * align;
}

/* Writes the first build id among the notes; returns whether there is one. */
static bool build_id_find(const uint8_t *notes, size_t octets, size_t align, char text[IW_BUILD_ID_OCTETS]) {
    while (octets >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        size_t name, description;

        memcpy(&head, notes, sizeof head);
        name = build_id_padded(sizeof head + head.n_namesz, align);
        description = build_id_padded(name + head.n_descsz, align);
        if (description > octets || head.n_descsz > (IW_BUILD_ID_OCTETS - 1) / 2)
            return false;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof "GNU" &&
            memcmp(notes + sizeof head, "GNU", sizeof "GNU") == 0) {
            for (size_t i = 0; i < head.n_descsz; i++)
                sprintf(text + 2 * i, "%02x", notes[name + i]);
            return true;
        }
        notes += description;
        octets -= description;
    }
    return false;
}

/* The first object is the program itself; the others are its libraries. */
static int build_id_read(struct dl_phdr_info *program, size_t octets, void *user) {
    (void)octets;
    for (size_t i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
        size_t align = segment->p_align == 8 ? 8 : 4;

        if (segment->p_type == PT_NOTE &&
            build_id_find(
                (const uint8_t *)(program->dlpi_addr + segment->p_vaddr), segment->p_memsz, align, user))
            break;
    }
    return 1;
}

void iw_build_id(char text[IW_BUILD_ID_OCTETS]) {
    text[0] = '\0';
    dl_iterate_phdr(build_id_read, text);
}
