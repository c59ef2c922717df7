#pragma once

#include "iw_iser.h"
#include "iw_upper_state.h"

/* The parts of iSER. */

/* Takes a Hello or HelloReply, of which the header is captured. */
void iw_upper_iser_hello(struct iw_upper *upper, const struct iw_upper_send *send);
