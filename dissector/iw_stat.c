#include "iw_stat.h"

#include "iw_tap.h"

void iw_stat_register(void) {
    iw_tap_register();
    iw_stat_srt_register();
    iw_stat_tree_register();
    iw_stat_conversation_register();
    iw_stat_follow_register();
}
