#pragma once

/* What the agent of a foreign device says of itself and of the device in its hello, each in one line; "":
 * nothing. */
struct iw_dut_names {
    char agent[128], device[128], firmware[128], serial[128];
};
