#include "cmd_run_option.h"

static const struct iw_option options[] = {
    [CMD_RUN_PEER] = {"peer", "HOST:PORT", 'p',
        "a responder to test instead of the embedded reference; without\n"
        "--agent only cases that need nothing beside it apply"},
    [CMD_RUN_SCTP] = {"sctp", "[udp:]HOST:PORT", 0,
        "where it takes associations for DDP over SCTP (RFC 5043): in IP, for\n"
        "which raw sockets are needed, or in UDP at 9899 (RFC 6951), or with\n"
        "udp/PORT: at another UDP port"},
    [CMD_RUN_AGENT] = {"agent", "[HOST:]PORT", 0,
        "the agent that tells that device what to do (docs/agent.md); the\n"
        "host is that of --peer without HOST"},
    [CMD_RUN_TOKEN_FILE] = {"token-file", "FILE", 0, "its first line is the token that the agent asks for"},
    [CMD_RUN_OWN_HOST] = {"own-host", "HOST", 0,
        "address of this host that the device connects to\n"
        "[the one that the agent sees; the address from which this host reaches\n"
        "--peer]"},
    [CMD_RUN_RPING] = {"rping", NULL, 0,
        "the responder at --peer is an 'rping -s -P' of rdma-core, and what\n"
        "--initiator starts an 'rping -c': the cases of tier rping apply"},
    [CMD_RUN_INITIATOR] = {"initiator", "COMMAND", 0,
        "makes the device connect, once for each case that it has to:\n"
        "run by sh, with {host} and {port} replaced by where to"},
    [CMD_RUN_BEFORE] = {"before", "COMMAND", 0,
        "makes the device ready for a case: run by sh before each; the case\n"
        "begins at its end, or is inconclusive if its exit code is not 0"},
    [CMD_RUN_DEFECT] = {"defect", "NAME", 0, "give the embedded reference a defect (see 'list defects')"},
    [CMD_RUN_VARIANT] = {"variant", "NAME", 0,
        "have it do otherwise what is left to it (see 'list variants'); each\n"
        "conforms"},
    [CMD_RUN_ONLY] = {"only", "REGEX", 0,
        "only cases in whose id, title or requirements it is found, in small\n"
        "letters or capitals"},
    [CMD_RUN_SKIP] = {"skip", "REGEX", 0, "not those in which this is found, likewise"},
    [CMD_RUN_TIER] = {"tier", "none|rping|agent", 0,
        "only cases that need so much of the device (docs/guide.md); may be\n"
        "given again"},
    [CMD_RUN_PROFILE] = {"profile", "NAME|FILE", 0,
        "what the device claims: one of 'list profiles', or a Lua file of your\n"
        "own (docs/profile.md); the embedded reference does no more then"},
    [CMD_RUN_WITHOUT] = {"without", "CLAIM", 0,
        "the device does not claim this ability (markers, rev-2, atomic and\n"
        "the like: docs/profile.md names all); may be given again"},
    [CMD_RUN_WITHOUT_DANGER] = {"without-danger", "memory|connection", 0,
        "leave out cases that write where the device has not let them, which\n"
        "costs others their memory if it is wrong; or that make it give up a\n"
        "connection; may be given again"},
    [CMD_RUN_OUT] = {"out", "DIR", 'o',
        "folder for results.jsonl, and a capture and a wire log per case [results]"},
    [CMD_RUN_NO_OUT] = {"no-out", NULL, 0, "write no files"},
    [CMD_RUN_JOBS] = {"jobs", "N", 'j', "cases at a time [16; with --peer 1]"},
    [CMD_RUN_SIMULATE] = {"simulate", NULL, 0, "the embedded reference in memory: no network, no waiting"},
    [CMD_RUN_CASES] = {"cases", "DIR", 0, "the *.lua files of this folder instead of the built-in cases"},
    [CMD_RUN_SHARD] = {"shard", "I/N", 0,
        "only the I-th of N parts of the cases, from 1; as TEST_SHARD_INDEX, which\n"
        "counts from 0, and TEST_TOTAL_SHARDS in the environment"},
    [CMD_RUN_REPEAT] = {"repeat", "N", 0,
        "run all cases N times; those whose verdict is not always the same are\n"
        "named at the end, and keep the exit code from being 0"},
    [CMD_RUN_UNTIL_FAILURE] = {"until-failure", NULL, 0,
        "run all cases again and again, with --repeat so often at the most,\n"
        "until one fails or cannot be judged"},
    [CMD_RUN_RESUME] = {"resume", "DIR", 0,
        "go on with the run whose results are in DIR, by its own options: the\n"
        "cases that it has finished are not run again; goes alone"},
    [CMD_RUN_LIST] = {"list", NULL, 0, "print which cases would be run, and which of them apply, instead"},
    [CMD_RUN_FORMAT] = {"format", "text|jsonl|markdown", 'f', "of --list: as of 'list' [text]"},
    [CMD_RUN_STRENGTH] = {"strength", "N", 0,
        "instead of the cases, combinations of the settings of those that have\n"
        "factors: of every N factors, 1 to 6, all values meet; what fails is\n"
        "traced to as few settings as will do"},
    [CMD_RUN_RANDOM] = {"random", "N", 0,
        "instead of the cases, N conversations made of seeds, of each case that\n"
        "takes one; with --strength both"},
    [CMD_RUN_SEED] = {"seed", "S", 0, "of --strength, and the first one of --random [1]"},
    [CMD_RUN_COMBINATION] = {"combination", "ID", 0,
        "only that one, as the results name it (sweep-001.0120000000,\n"
        "random-001.4711)"},
    [CMD_RUN_BUDGET] = {"budget", "SECONDS", 0,
        "begin no more cases after so long; that the others were not run is no\n"
        "failure, and --resume goes on"},
    [CMD_RUN_EXPECT] = {"expect", "FILE", 0,
        "cases that are known not to pass (docs/reports.md); only what is new\n"
        "or regressed counts then"},
    [CMD_RUN_WRITE_EXPECT] = {"write-expect", "FILE", 0,
        "write such a file of what did not pass, for reasons to be filled in"},
    [CMD_RUN_STRICT] = {"strict", NULL, 0, "what fails a SHOULD fails, instead of being a warning"},
};

const struct iw_usage cmd_run_usage = {
    .command = "run",
    .arguments = "[OPTION...]",
    .summary = "Runs the suite against a device under test; by default against the embedded reference.",
    .detail =
        "Each case has connections of its own, over TCP on 127.0.0.1 or to --peer, watched by the\n"
        "monitor: a case passes if its script is content and the device violates nothing. If all that\n"
        "it tests, or what is violated, is a SHOULD, it gives a warning instead of failing; if it is a\n"
        "MAY, a note. The last column is how the device ended the connection, \"(tolerated)\" or\n"
        "\"(wrong)\" if the case would have it otherwise; that is a verdict of its own and fails no case.\n"
        "\n"
        "What a case expects it waits for 64 times as long as the device lately took to answer a\n"
        "Request, but 2 to 10 s (5 s before it has answered one); that nothing comes it believes after\n"
        "8 times as long, at most 1.5 s, where the case does not wait longer by itself. A case that has\n"
        "not ended 5 s after the device's own timeout for a startup frame (--profile; 60 s) and five\n"
        "such waits is inconclusive: 75 to 115 s.\n"
        "\n"
        "What contradicts a claim of --profile or --without is told once for each claim.\n"
        "\n"
        "DIR/results.jsonl has one object a line: \"run\" with what is run, \"case\" with its verdict,\n"
        "\"finding\" as of 'check', and \"summary\". DIR/ID.pcapng is what crossed the wire, with case\n"
        "and step as comments; DIR/ID.log is the same as numbered text, decoded, with octets,\n"
        "findings and the verdict.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = "  warpcheck run\n"
                "  warpcheck run --peer 192.0.2.7:7174 --without markers --out results/rnic\n"
                "  warpcheck run --peer 192.0.2.7:7174 --agent 7175 --token-file token\n"
                "  warpcheck run --peer 192.0.2.7:7174 --profile rnic.lua\n"
                "  warpcheck run --peer 192.0.2.7:7174 --sctp udp:192.0.2.7:7174 --only sctp\n"
                "  warpcheck run --peer 192.0.2.7:7174 --rping \\\n"
                "      --initiator 'ssh rnic rping -c -a {host} -p {port} -C 1'\n"
                "  warpcheck run --only 'crc|RFC5044-4.4'\n"
                "  warpcheck run --strength 2\n"
                "  warpcheck run --random 1000 --seed 4711\n"
                "  warpcheck run --defect crc-wrong\n"
                "  warpcheck run --peer 192.0.2.7:7174 --shard 2/4 --out results/2\n"
                "  warpcheck run --resume results/2\n",
    .exits = "  0  every case that applies passed, or gave no more than a warning or a note; with\n"
             "     --expect: or is as expected\n"
             "  1  at least one failed, or the device showed something that contradicts its claims\n"
             "  2  none failed, but at least one was inconclusive, or not the same in all repeats,\n"
             "     or the run was interrupted\n"
             "  3  usage; no case selected; the device cannot be reached; files cannot be written\n"
             "  4  a case was in error: the suite's own fault\n",
};
