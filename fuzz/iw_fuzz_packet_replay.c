/* iw_fuzz_packet_replay INPUT...: runs the packet fuzz target on the given inputs. */

#include "iw_fuzz_packet.h"
#include "iw_fuzz_replay.h"

int main(int argc, char **argv) {
    return iw_fuzz_replay_files(argc, argv, iw_fuzz_packet);
}
