/* iw_fuzz_check_replay INPUT...: runs the fuzz target of `warpcheck check` on the given inputs. */

#include "iw_fuzz_check.h"
#include "iw_fuzz_replay.h"

int main(int argc, char **argv) {
    return iw_fuzz_replay_files(argc, argv, iw_fuzz_check);
}
