#pragma once

/* The layout of iSER (RFC 7145) and of the iSCSI PDUs in it (RFC 7143); most significant octet first. */

enum {
    IW_ISER_HEADER_OCTETS =
        28, /* flags, Write STag and Base Offset, Read STag and Base Offset (RFC 7145 9.2) */
    IW_ISCSI_HEADER_OCTETS = 48, /* Basic Header Segment, after the header of iSER */
};

/* The Opcode of the iSER header: the upper half of octet 0 (RFC 7145 9.1). */
enum iw_iser_opcode {
    IW_ISER_CONTROL = 1,
    IW_ISER_HELLO = 2,
    IW_ISER_HELLO_REPLY = 3,
};

/* Flags of octet 0 of a Control-Type header: the Write STag is valid, and the Read STag (RFC 7145 9.2). */
enum { IW_ISER_WSV = 0x08, IW_ISER_RSV = 0x04 };

/* iSCSI opcodes: the low 6 bits of octet 0 (RFC 7143 11.2.1.2). */
enum iw_iscsi_opcode {
    IW_ISCSI_NOP_OUT = 0x00,
    IW_ISCSI_COMMAND = 0x01,
    IW_ISCSI_TASK_REQUEST = 0x02,
    IW_ISCSI_LOGIN_REQUEST = 0x03,
    IW_ISCSI_TEXT_REQUEST = 0x04,
    IW_ISCSI_DATA_OUT = 0x05,
    IW_ISCSI_LOGOUT_REQUEST = 0x06,
    IW_ISCSI_SNACK = 0x10,
    IW_ISCSI_NOP_IN = 0x20,
    IW_ISCSI_RESPONSE = 0x21,
    IW_ISCSI_TASK_RESPONSE = 0x22,
    IW_ISCSI_LOGIN_RESPONSE = 0x23,
    IW_ISCSI_TEXT_RESPONSE = 0x24,
    IW_ISCSI_DATA_IN = 0x25,
    IW_ISCSI_LOGOUT_RESPONSE = 0x26,
    IW_ISCSI_R2T = 0x31,
    IW_ISCSI_ASYNC = 0x32,
    IW_ISCSI_REJECT = 0x3F,
};
