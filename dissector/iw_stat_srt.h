#ifndef IW_STAT_SRT_H
#define IW_STAT_SRT_H

/* Service response times from request to response, for each kind of operation; for RDMA Read both to the
 * first and to the last segment of the response. `tshark -q -z iwarp,srt`. */
void iw_stat_srt_register(void);

#endif
