/* iw_fuzz_reader_replay INPUT...: takes inputs of the fuzz target of the reader of capture files once more.
 */

#include "iw_fuzz_reader.h"
#include "iw_fuzz_replay.h"

int main(int argc, char **argv) {
    return iw_fuzz_replay_files(argc, argv, iw_fuzz_reader);
}
