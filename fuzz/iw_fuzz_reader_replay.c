/* iw_fuzz_reader_replay INPUT...: runs the capture file fuzz target on the given inputs. */

#include "iw_fuzz_reader.h"
#include "iw_fuzz_replay.h"

int main(int argc, char **argv) {
    return iw_fuzz_replay_files(argc, argv, iw_fuzz_reader);
}
