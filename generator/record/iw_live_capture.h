#pragma once

#include <stdbool.h>
#include "iw_record_file.h"
#include "iw_status.h"

/* Records the packets of a network device unchanged, and adds comments to them. */

struct iw_live_capture;

enum { IW_LIVE_CAPTURE_TEXT_OCTETS = IW_RECORD_FILE_TEXT_OCTETS };

/* Opens `device` ("lo", "eth0", "any") and creates the file `path` (pcapng, nanoseconds). Keeps only TCP
 * from or to `host` (numeric; NULL: any) and `port` (0: any). On failure, such as a missing permission,
 * returns NULL with one line in `text`, of IW_LIVE_CAPTURE_TEXT_OCTETS octets. */
struct iw_live_capture *iw_live_capture_open(
    const char *device, const char *host, uint16_t port, const char *path, char *text);

/* Sets the function to call if recording stops early (iw_record_file_tell). */
void iw_live_capture_tell(struct iw_live_capture *capture, iw_record_trouble *trouble, void *user);

/* Sets the comment of packets captured from now on (NULL: none); copies it. Writes pending packets first,
 * with the previous comment. Returns the number of these packets, or a negative enum iw_status. */
int iw_live_capture_comment(struct iw_live_capture *capture, const char *comment);

/* Writes the packets captured so far. Returns their number, or a negative enum iw_status. */
int iw_live_capture_pump(struct iw_live_capture *capture);

/* Writes pending packets, closes the file and frees everything. Sets *dropped (or NULL) to the number of
 * packets that the system dropped. If recording had stopped, returns IW_ERR_IO with a line in `text` (or
 * NULL), which is empty if the reason was already reported. NULL is allowed. */
enum iw_status iw_live_capture_close(struct iw_live_capture *capture, uint64_t *dropped, char *text);
