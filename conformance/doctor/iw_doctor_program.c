#include <string.h>
#include <sys/utsname.h>

#include "iw_confine.h"
#include "iw_crc32c.h"
#include "iw_doctor_part.h"

/* The program itself, the code that computes CRCs, and confinement. */

#if defined __clang__
#define PROGRAM_COMPILER "clang " __clang_version__
#else
#define PROGRAM_COMPILER "gcc " __VERSION__
#endif
#ifdef __SANITIZE_ADDRESS__
#define PROGRAM_SANITIZED ", with AddressSanitizer"
#else
#define PROGRAM_SANITIZED ""
#endif

void iw_doctor_program(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    struct utsname system;

    if (uname(&system) != 0)
        memset(&system, 0, sizeof system);
    iw_doctor_ok(finding,
        "warpcheck " WARPCHECK_VERSION " for %s, by " PROGRAM_COMPILER PROGRAM_SANITIZED
        "; SCTP: %s; ISA-L: %s",
        system.machine, place->sctp ? "yes" : "no", iw_crc32c_with_isal() ? "yes" : "no");
}

void iw_doctor_crc(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    static const uint8_t digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
    const char *instructions = iw_crc32c_instructions();

    (void)place;
    /* The check value of CRC-32C, 0xE3069283, in the order of octets on the wire. */
    if (iw_crc32c(digits, sizeof digits) != 0x839206E3)
        iw_doctor_wrong(finding, "build without ISA-L (-D WARPCHECK_ISAL=OFF), and report this processor",
            "the CRC of a known text is wrong");
    else if (!iw_crc32c_with_isal())
        iw_doctor_missing(finding,
            "nothing to repair: the results are the same, only later; for large captures, install "
            "libisal-dev and build with -D WARPCHECK_ISAL=ON",
            "portable code, without ISA-L");
    else if (instructions == NULL)
        iw_doctor_missing(finding,
            "nothing to repair: the results are the same, only later; for large captures, use a processor "
            "with SSE 4.2 and PCLMULQDQ (x86-64) or CRC32 (AArch64)",
            "ISA-L, but this processor has no instructions for CRC32C");
    else
        iw_doctor_ok(finding, "ISA-L; this processor has %s", instructions);
}

void iw_doctor_confine(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    char text[IW_CONFINE_TEXT_OCTETS];

    (void)place;
    if (iw_confine_state(text))
        iw_doctor_ok(finding, "%s", text);
    else
        iw_doctor_missing(finding,
            "read foreign files in a container or a virtual machine, or use a build with -D "
            "WARPCHECK_SANDBOX=ON "
            "and a kernel that has seccomp and lists landlock in its parameter lsm=",
            "%s", text);
}
