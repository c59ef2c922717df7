/* iw_fuzz_packet_replay INPUT...: takes inputs of the fuzz target of packets once more. */

#include "iw_fuzz_packet.h"
#include "iw_fuzz_replay.h"

int main(int argc, char **argv) {
    return iw_fuzz_replay_files(argc, argv, iw_fuzz_packet);
}
