#ifndef IW_LIVE_CAPTURE_H
#define IW_LIVE_CAPTURE_H

#include <stdint.h>

#include "iw_record_file.h"
#include "iw_status.h"

/* Records the packets of a network device as they are, where the system allows it, with comments to them. */

struct iw_live_capture;

enum { IW_LIVE_CAPTURE_TEXT_OCTETS = IW_RECORD_FILE_TEXT_OCTETS };

/* Opens `device` ("lo", "eth0", "any") and creates the file `path` (pcapng, nanoseconds). Only TCP from or to
 * `host` (a numeric address, or NULL: any) and `port` (0: any) is kept. NULL with one line in `text`, of
 * IW_LIVE_CAPTURE_TEXT_OCTETS octets, if it is not permitted or otherwise fails. */
struct iw_live_capture *iw_live_capture_open(
    const char *device, const char *host, uint16_t port, const char *path, char *text);

/* Who is told when recording has stopped before its end (iw_record_file_tell). */
void iw_live_capture_tell(struct iw_live_capture *capture, iw_record_trouble *trouble, void *user);

/* The comment of the packets that are captured from now on; NULL for none. Copied. What is there already is
 * written first, with the comment before it. Returns a negative enum iw_status if anything fails. */
int iw_live_capture_comment(struct iw_live_capture *capture, const char *comment);

/* Writes all packets that are there to the file, without waiting. Returns how many, or a negative enum
 * iw_status. */
int iw_live_capture_pump(struct iw_live_capture *capture);

/* Takes what is still there, closes the file and releases everything. Tells how many packets the system had
 * to drop (`dropped` may be NULL), and returns a negative enum iw_status if the file has not all of the
 * others, with a line in `text`
 * (or NULL), empty if it has been told. NULL is allowed. */
enum iw_status iw_live_capture_close(struct iw_live_capture *capture, uint64_t *dropped, char *text);

#endif
