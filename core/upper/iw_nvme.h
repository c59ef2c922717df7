#pragma once

/* The layout of NVMe over RDMA: command capsules and completions; least significant octet first (NVM Express
 * RDMA Transport Specification; NVM Express Base Specification 3.3). */

enum {
    IW_NVME_COMMAND_OCTETS = 64, /* data may follow */
    IW_NVME_COMPLETION_OCTETS = 16,
    IW_NVME_PRIVATE_OCTETS = 32, /* private data of a startup frame */
};

enum {
    IW_NVME_FABRICS = 0x7F, /* opcode of a Fabrics command */
    IW_NVME_CONNECT = 0x01, /* FCTYPE of a Fabrics command */
    IW_NVME_SGLS = 0x40,    /* PSDT: SGLs describe the data, always over a fabric; not fused */
};
