#ifndef IW_STAT_SRT_H
#define IW_STAT_SRT_H

/* Service response times: from a request to its answer, for each kind of operation; of an RDMA Read both to
 * the first segment of the answer and to its last one. `tshark -q -z iwarp,srt`. */
void iw_stat_srt_register(void);

#endif
