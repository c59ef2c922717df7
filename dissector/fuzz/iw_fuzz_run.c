#include "iw_fuzz_run.h"

#include "iw_fuzz_frames.h"
#include "iw_fuzz_input.h"
#include "iw_fuzz_session.h"

void iw_fuzz_run(const uint8_t *octets, size_t length) {
    struct iw_packet frames[IW_FUZZ_FRAMES_MAX];
    struct iw_cursor cursor = iw_cursor_over(octets, length);
    struct iw_fuzz_scene scene = iw_fuzz_scene_take(&cursor);
    unsigned count = iw_fuzz_frames_make(frames, octets, length);

    if (count > 0) {
        iw_fuzz_session_prefer(&scene);
        iw_fuzz_session_run(frames, count, scene.order);
    }
    iw_fuzz_frames_dispose(frames, count);
}
