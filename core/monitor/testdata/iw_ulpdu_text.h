#pragma once

/* ULPDUs that more than one test sends, in hexadecimal. */

/* A Read Request, and the answer to it if it asks for eight octets. */
#define READ(msn, size)                                                                                      \
    "4141 00000000 00000001 " msn " 00000000 00001234 0000000000001000 " size " 00005678 0000000000002000"
#define ANSWER "c142 00001234 0000000000001000 0102030405060708"
#define EIGHT "00000008"

/* The headers of a Terminate. */
#define TERMINATE "4147 00000000 00000002 00000001 00000000 "
/* DDP headers to include, with their DDP Segment Length: of a Send and of a Read Request. */
#define OF_SEND(msn) "0014 4143 00000000 00000000 " msn " 00000000 "
#define OF_READ "002e 4141 00000000 00000001 00000001 00000000 "
