#include "cmd_run_settings.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd_option.h"
#include "iw_rping.h"

/* The options of `warpcheck run` and its help text. */

enum { RUN_OPTION_JOBS_MAX = 256 };

static int run_option_take_profile(const struct iw_usage *usage, const struct iw_option *option, void *user) {
    struct cmd_run_settings *settings = user;
    char error[512];
    int code = cmd_option_run(usage, option, &settings->options);

    settings->run.claims.profile = NULL;
    if (code != 0 || iw_run_options_probe(&settings->options))
        return code;
    if (iw_profile_load(&settings->profile, optarg, error, sizeof error) != IW_OK)
        return iw_option_error(usage, "--%s: %s", option->name, error);
    settings->run.claims.profile = &settings->profile;
    return 0;
}

static int run_option_take_no_out(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    (void)usage;
    (void)option;
    *(const char **)at = NULL;
    return 0;
}

static int run_option_take_checked(const struct iw_usage *usage, const struct iw_option *option, void *user) {
    struct cmd_run_settings *settings = user;

    settings->run.initiator_checked = strcmp(optarg, "initiator") == 0;
    if (settings->run.initiator_checked || strcmp(optarg, "responder") == 0)
        return 0;
    return cmd_option_not_listed(usage, option);
}

static int run_option_take_format(const struct iw_usage *usage, const struct iw_option *option, void *user) {
    struct cmd_run_settings *settings = user;

    settings->format_given = true;
    return iw_listing_format_find(optarg, &settings->format) ? 0 : cmd_option_not_listed(usage, option);
}

/* Counts the option, and stores it in `words`, from which --resume repeats the run. Omits options that tell
 * only where the results are, and `shard`: settings_find_shard stores it, because the environment can also
 * set it. */
static void run_option_note(void *user, const struct iw_option *option) {
    static const char *const omitted[] = {"out", "force", "no-out", "shard", "resume"};
    struct cmd_run_settings *settings = user;
    char word[64];

    settings->given++;
    for (size_t i = 0; i < sizeof omitted / sizeof *omitted; i++)
        if (strcmp(option->name, omitted[i]) == 0)
            return;
    snprintf(word, sizeof word, "--%s", option->name);
    json_array_append_new(settings->words, json_string(word));
    if (option->argument)
        json_array_append_new(settings->words, json_string(optarg));
}

#define AT(member) .at = offsetof(struct cmd_run_settings, member)
static const struct iw_option options[] = {
    {CMD_OPTION_PEER,
        "the responder to test, instead of the embedded peer; without\n"
        "--agent, only cases that need no agent are tested",
        cmd_option_address, AT(peer)},
    {CMD_OPTION_SCTP,
        "where the device accepts associations for DDP over SCTP (RFC 5043): in\n"
        "IP, which needs raw sockets; with udp:, in UDP at port 9899 (RFC 6951);\n"
        "with udp/PORT:, at that UDP port",
        cmd_option_sctp, AT(sctp)},
    {CMD_OPTION_AGENT,
        "the agent that controls the device ('help agent'); HOST defaults to\n"
        "that of --peer. With HOST, --peer may be omitted if the agent names\n"
        "the port of the device",
        iw_option_text, AT(agent.text)},
    {CMD_OPTION_TOKEN_FILE, "file whose first line is the agent's token", cmd_agent_token, AT(agent)},
    CMD_AGENT_TLS_OPTIONS(struct cmd_run_settings, agent),
    {CMD_OPTION_OWN_HOST,
        "address of this host that the device connects to\n"
        "[the one that the agent sees; without an agent, the one from which this\n"
        "host reaches --peer]",
        iw_option_text, AT(agent.agent.own_host)},
    {"rping", NULL, 0,
        "--peer is an 'rping -s -P' of rdma-core, and --initiator starts an\n"
        "'rping -c': the cases of tier rping are tested",
        cmd_option_run, AT(options)},
    {"rping-size", "OCTETS", 0,
        "-S of that rping [64], or size of the buffers of the embedded rping\n"
        "[8192]: with 8192 or more the messages have several segments",
        IW_OPTION_NUMBER(struct cmd_run_settings, run.target.rping_octets, IW_RPING_SIZE, IW_RPING_SIZE_MAX),
        .takes = "a number of octets from 64 to 65535"},
    {CMD_OPTION_INITIATOR,
        "command that makes the device connect, for each case that needs it:\n"
        "run by sh; {host} and {port} are replaced by the destination",
        iw_option_text, AT(starter.starter.command)},
    {"relay", NULL, 0,
        "test two devices at once, none of them ours: relay the connections of an\n"
        "initiator to --to, impair one in each conversation, and judge how both\n"
        "react; the cases are those of tier relay in 'list cases'",
        iw_option_flag, AT(relay.given)},
    {"listen", "HOST:PORT", 0,
        "with --relay: where the initiator connects [127.0.0.1:20100]; port 0:\n"
        "the system chooses",
        cmd_option_address, AT(relay.listen)},
    {"to", "HOST:PORT", 0, "with --relay: the responder", cmd_option_address, AT(relay.to)},
    {"start", "COMMAND", 0,
        "with --relay: command that makes the initiator connect, once for each\n"
        "conversation: run by sh; {host} and {port} are replaced by --own-host, or\n"
        "the host of --listen, and the port of the relay [wait for the initiator]",
        iw_option_text, AT(relay.start)},
    {"wait", "SECONDS", 0, "with --relay: how long to wait for the initiator [60]", cmd_option_seconds,
        AT(relay.wait_ms)},
    {"checked", "initiator|responder", 0,
        "with --relay: the device that --health and --console are about\n"
        "[responder]",
        .take = run_option_take_checked},
    {"before", "COMMAND", 0,
        "command that prepares the device: run by sh before each case, with\n"
        "--relay before each conversation; if its exit code is not 0, the case is\n"
        "inconclusive",
        iw_option_text, AT(run.before)},
    {"health", "COMMAND", 0,
        "command that checks the device: run by sh before the first case and\n"
        "after each case; if its exit code is not 0, or after 30 s, the case\n"
        "fails, and the check is repeated before the next case",
        iw_option_text, AT(run.health)},
    {"console", "FILE", 0,
        "console or log of the device, to which another program appends: a case\n"
        "fails if a line reports a crash (BUG:, Oops, Kernel panic, general\n"
        "protection fault, KASAN:, lockups, stalls and hung tasks of Linux)",
        iw_option_text, AT(console)},
    {"console-pattern", "REGEX", 0, "lines of --console that also report a crash; case-insensitive",
        cmd_option_pattern, AT(console_pattern)},
    {CMD_OPTION_DEFECT, "give the embedded peer a defect (see 'list defects')", cmd_option_defect,
        AT(run.target.defect), .lists = "defects"},
    {"variant", "NAME", 0,
        "give the embedded peer a different conforming behaviour (see 'list\n"
        "variants')",
        cmd_option_defect, AT(run.target.defect), .lists = "variants"},
    {"only", "REGEX", 0, "only cases whose id, title or requirements match; case-insensitive", cmd_option_run,
        AT(options), .lists = "cases requirements"},
    {"skip", "REGEX", 0, "skip the cases that match, likewise", cmd_option_run, AT(options),
        .lists = "cases requirements"},
    {"tier", "none|rping|agent", 0,
        "only cases that need this on the device: no agent, rping, or an agent\n"
        "(see 'warpcheck help tiers'); repeatable",
        cmd_option_run, AT(options)},
    {"profile", "NAME|FILE", 0,
        "what the device claims: one of 'list profiles', or your own Lua file\n"
        "('help profile'); limits the embedded peer to these claims; probe: what\n"
        "'probe' finds. Without --profile, a --peer is probed for what no MUST of\n"
        "RFC 5040 to 5044 demands: revision 2, extensions, drafts, no CRC",
        .take = run_option_take_profile, .lists = "profiles"},
    {"no-preflight", NULL, 0,
        "do not check first, by an MPA Request, whether --peer is an iWARP\n"
        "responder, and do not probe it unless --profile probe is given",
        cmd_option_run, AT(options)},
    {"without", "CLAIM", 0,
        "the device does not claim this ability (markers, rev-2, atomic, ...:\n"
        "see 'help profile'); repeatable",
        cmd_option_run, AT(options)},
    {"role", "responder|initiator|both", 0,
        "the role of the device; cases of the other one do not apply. A device\n"
        "that is only an initiator needs no --peer: --initiator and --own-host do",
        cmd_option_run, AT(options)},
    {"without-danger", "memory|connection|host", 0,
        "memory: skip cases that write outside registered memory, where a\n"
        "faulty device damages other data; connection: skip cases that make\n"
        "the device abort a connection; host: skip cases that may crash or\n"
        "exhaust the device; repeatable",
        cmd_option_run, AT(options)},
    {"allow-danger", "host", 0,
        "run cases that may crash or exhaust the device; without this option,\n"
        "only the embedded peer is tested by them",
        cmd_option_run, AT(options)},
    {"out", "DIR", 'o',
        "folder for results.jsonl, and a capture and a wire log per case\n"
        "[results/TIME, in UTC; results/latest is a link to it]",
        iw_option_text, AT(out)},
    {"force", NULL, 0, "overwrite the results of an earlier run in the folder of --out", iw_option_flag,
        AT(force)},
    {"evidence-limit", "MIB", 0,
        "size of each capture, and of each log [64]: then, frames are shortened\n"
        "to their headers except the first, the last and those with findings;\n"
        "0: no limit",
        cmd_option_run, AT(options)},
    {"no-out", NULL, 0, "write no files", run_option_take_no_out, AT(out)},
    {"verbose", NULL, 'v', "also print the cases that passed", iw_option_flag, AT(verbose)},
    {"jobs", "N", 'j', "cases at a time [16; with --peer 1]",
        IW_OPTION_NUMBER(struct cmd_run_settings, run.jobs, 1, RUN_OPTION_JOBS_MAX)},
    {"device", "NAME", 0, "name of the device, for the results; likewise:", iw_option_text,
        AT(origin.device)},
    {"firmware", "VERSION", 0, "version of its firmware or driver", iw_option_text, AT(origin.firmware)},
    {"serial", "NUMBER", 0, "its serial number", iw_option_text, AT(origin.serial)},
    {"lab", "TEXT", 0, "who tested it, and where", iw_option_text, AT(origin.lab)},
    {"network", "NAME|KEY=VALUE,...", 0,
        "put suite and embedded peer on two private hosts, whose link loses,\n"
        "delays, reorders or duplicates packets, is slow, or has a different MTU\n"
        "('list networks'); keys: loss=5%, reorder=25%, duplicate=5%,\n"
        "delay=20ms, rate=10mbit, mtu=576, seed=1, wait=10s. Needs ip, tc, and\n"
        "root or user namespaces; see 'doctor'",
        cmd_option_run, AT(options), .lists = "networks"},
    {"simulate", NULL, 0, "run the embedded peer in memory: no network, no waiting", cmd_option_run,
        AT(options)},
    {"cases", "DIR", 0, "the *.lua files of this folder instead of the built-in cases", cmd_option_run,
        AT(options)},
    {"strict", NULL, 0, "a violated SHOULD fails the case, instead of giving a warning", cmd_option_run,
        AT(options)},
    {"accept-untested", NULL, 0,
        "cases that cannot be tested, for example without an agent, do not\n"
        "change the exit code",
        cmd_option_run, AT(options)},
    {"shard", "I/N", 0,
        "only part I, from 1, of N parts of the cases; the environment can set\n"
        "it: TEST_SHARD_INDEX, which counts from 0, and TEST_TOTAL_SHARDS",
        cmd_option_run, AT(options)},
    {"list", NULL, 0,
        "only print the selected cases, and which of them would run; a --peer\n"
        "without --profile is probed for that",
        iw_option_flag, AT(list)},
    {"format", "text|jsonl|markdown", 'f', "format of --list, as for 'list' [text]",
        .take = run_option_take_format},
    {"strength", "N", 0,
        "instead of the cases, combinations of the factors of cases: they\n"
        "cover all values of every N factors, 1 to 6; a failure is reduced to\n"
        "as few settings as possible",
        cmd_option_run, AT(options)},
    {"random", "N", 0,
        "instead of the cases, N random conversations of each case that takes\n"
        "a seed; with --strength, both",
        cmd_option_run, AT(options)},
    {"seed", "S", 0, "seed of --strength, and first seed of --random [1]", cmd_option_run, AT(options)},
    {"combination", "ID", 0,
        "only this combination, as named in the results\n"
        "(sweep-001.0120000000, random-001.4711)",
        cmd_option_run, AT(options)},
    {"budget", "SECONDS", 0,
        "start no case after this time; the rest is not tested, and --resume\n"
        "runs it",
        cmd_option_run, AT(options)},
    {"repeat", "N", 0,
        "run all cases N times; cases with varying verdicts are named at the\n"
        "end, and the exit code is then not 0",
        cmd_option_run, AT(options)},
    {"until-failure", NULL, 0,
        "repeat all cases until one fails or cannot be judged; at most N times\n"
        "with --repeat N",
        cmd_option_run, AT(options)},
    {"resume", "DIR", 0,
        "resume the run whose results are in DIR, with its own options and\n"
        "without its finished cases; takes no other options",
        iw_option_text, AT(resume.folder)},
    {"expect", "FILE", 0,
        "cases known not to pass ('help expectations'); only new and regressed\n"
        "cases count then",
        iw_option_text, AT(expect.file)},
    {"write-expect", "FILE", 0, "write such a file for the cases that did not pass; check its reasons",
        iw_option_text, AT(expect.write)},
};

const struct iw_usage cmd_run_usage = {
    .command = "run",
    .arguments = "[OPTION...]",
    .instead = "--only",
    .summary = "Runs the suite against a device under test; by default against the embedded peer.",
    .detail =
        "Each case has its own connections, over TCP on 127.0.0.1 or to --peer. The monitor watches\n"
        "them: a case passes if its script succeeds and the device violates no requirement. If the case\n"
        "tests, or the device violates, only SHOULDs, it gives a warning instead of failing; only MAYs,\n"
        "a note. The last column shows how the device ended the connection, with \"(tolerated)\" or\n"
        "\"(wrong)\" if the case expects something else; that is a separate verdict and fails no case.\n"
        "\n"
        "Timeouts follow the recent response times of the device. A case waits for an expected event\n"
        "64 times as long, but 2 to 10 s (5 s before the first response). To see that nothing arrives,\n"
        "it waits 8 times as long, at most 1.5 s, unless the case sets a longer wait. After the device's\n"
        "own startup timeout (--profile; 60 s), five such waits and 5 s, that is 75 to 115 s, a case is\n"
        "inconclusive.\n"
        "\n"
        "With --network, all of these are longer by what 'list networks' states, or by wait=SECONDS. If\n"
        "the network loses or reorders packets, a case that fails because nothing arrives, or because of\n"
        "a RST, is inconclusive, and cases about the bounds of TCP segments are not tested.\n"
        "\n"
        "Each claim of --profile or --without that the device contradicts is reported once.\n"
        "\n"
        "DIR/results.jsonl has one object per line: \"run\" with the settings, \"case\" with its verdict,\n"
        "\"finding\" as for 'check', and \"summary\". DIR/ID.pcapng holds the packets, with case and step\n"
        "as comments; DIR/ID.log is the same as numbered text, decoded, with octets, findings and the\n"
        "verdict.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck run\n"
                "  warpcheck run --peer 192.0.2.7:20100 --without markers --out results/rnic\n"
                "  warpcheck run --peer 192.0.2.7:20100 --agent 20101 --tls-psk key\n"
                "  warpcheck run --peer 192.0.2.7:20100 --profile rnic.lua\n"
                "  warpcheck run --peer 192.0.2.7:20100 --sctp udp:192.0.2.7:20100 --only sctp\n"
                "  warpcheck run --peer 192.0.2.7:20100 --rping \\\n"
                "      --initiator 'ssh rnic rping -c -a {host} -p {port} -C 1'\n"
                "  warpcheck run --relay --to 192.0.2.7:20100 --listen 192.0.2.1:20100 \\\n"
                "      --start 'ssh nic rping -c -a {host} -p {port} -C 3'\n"
                "  warpcheck run --only 'crc|RFC5044-4.4'\n"
                "  warpcheck run --strength 2\n"
                "  warpcheck run --random 1000 --seed 4711\n"
                "  warpcheck run --defect crc-wrong\n"
                "  warpcheck run --network loss-1\n"
                "  warpcheck run --peer 192.0.2.7:20100 --shard 2/4 --out results/2\n"
                "  warpcheck run --resume results/2\n",
    .exits = "  0  every applicable case was tested (or --accept-untested) and passed, or gave a warning\n"
             "     or a note; with --expect: or had an expected result\n"
             "  1  at least one case failed, or the device contradicted its claims\n"
             "  2  no case failed, but at least one was inconclusive, varied between repeats or could\n"
             "     not be tested, no case was tested, or the run was interrupted\n"
             "  3  usage; no case selected; the device or its agent cannot be reached; the command of\n"
             "     --initiator cannot be run; files cannot be written. A run that ends so keeps its\n"
             "     results; --resume runs the rest\n"
             "  4  a case was in error: the suite's own fault\n",
    .see = "warpcheck-report(1) warpcheck-profile(5) warpcheck-expectations(5) warpcheck-agent-protocol(7)",
    .note = run_option_note,
};
