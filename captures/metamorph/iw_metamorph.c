/* iw_metamorph [OPTION...] CAPTURE...: changes how the captures show their conversations, but not the
 * conversations themselves. Then compares the verdict of `warpcheck check` on each changed capture with the
 * verdict on the original. */

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iw_array.h"
#include "iw_damage.h"
#include "iw_property.h"
#include "iw_random.h"

enum { TRANSFORMS_MAX = 3, JOBS_MAX = 64, HANG_SECONDS = 60, LARGE_PACKETS = 300, LINE = 1024 };

static const char usage[] =
    "usage: iw_metamorph [--runs N] [--first N] [--seed S] [--jobs N] [--keep DIR] CAPTURE...\n"
    "Changes how captures show their conversations, and compares the verdicts before and after.\n"
    "  --runs N    number of changed captures [10000]\n"
    "  --first N   number of the first [0]; --first N --runs 1 repeats one\n"
    "  --seed S    seed of all random choices [1]\n"
    "  --jobs N    processes [2]\n"
    "  --keep DIR  write the captures on which a property is broken\n"
    "  --only NAME use this transform alone; may be repeated\n"
    "Exit code: 0 all properties hold, 1 one is broken, 3 usage or environment.\n";

struct settings {
    uint64_t runs, first, seed;
    unsigned jobs;
    const char *keep;
    unsigned long only; /* set of transforms to use; 0: all */
};

static struct settings settings = {.runs = 10000, .seed = 1, .jobs = 2};
static struct iw_property_base *bases;
static size_t base_count;
static char scratch[64];

/* State of one worker process. The parent reads it when the process has died. */
struct lane {
    uint64_t run; /* the run in progress, or the next run */
    uint64_t broken, done;
};
static struct lane *lanes;

/* ---- one run ---- */

struct plan {
    const struct iw_property_base *base;
    const struct iw_transform *transforms[TRANSFORMS_MAX];
    unsigned count;
    enum iw_transform_effect effect;
};

static const struct iw_transform *choose_transform(bool sctp, uint64_t *state) {
    for (;;) {
        size_t at = iw_transform_below(state, iw_transform_count);

        if (settings.only != 0 && !(settings.only >> at & 1))
            continue;
        if (!sctp || !iw_transforms[at].tcp)
            return &iw_transforms[at];
        if (settings.only != 0)
            return &iw_transforms[0];
    }
}

static void make_plan(struct plan *plan, uint64_t *state) {
    do
        plan->base = &bases[iw_transform_below(state, base_count)];
    while (plan->base->trace->count > LARGE_PACKETS && iw_transform_below(state, 32) != 0);
    plan->count = 1 + (unsigned)iw_transform_below(state, TRANSFORMS_MAX);
    plan->effect = IW_TRANSFORM_ALIKE;
    for (unsigned i = 0; i < plan->count; i++) {
        plan->transforms[i] = choose_transform(plan->base->trace->sctp, state);
        if (plan->transforms[i]->effect > plan->effect)
            plan->effect = plan->transforms[i]->effect;
    }
}

static void apply(const struct plan *plan, struct iw_trace *trace, struct iw_outer *outer, uint64_t *state) {
    for (unsigned i = 0; i < 2 * plan->count; i++) {
        const struct iw_transform *transform = plan->transforms[i % plan->count];

        if (transform->last != (i >= plan->count))
            continue;
        if (transform->trace != NULL)
            transform->trace(trace, state);
        else if (transform->outer != NULL)
            transform->outer(outer, state);
    }
}

static void keep_capture(uint64_t run) {
    char name[512], octets[65536];
    FILE *from, *to;
    size_t count;

    if (settings.keep == NULL)
        return;
    snprintf(name, sizeof name, "%s/run%llu.pcap", settings.keep, (unsigned long long)run);
    from = fopen(scratch, "rb");
    to = fopen(name, "wb");
    while (from != NULL && to != NULL && (count = fread(octets, 1, sizeof octets, from)) > 0)
        fwrite(octets, 1, count, to);
    if (from != NULL)
        fclose(from);
    if (to != NULL)
        fclose(to);
}

static void print_failure(const struct plan *plan, uint64_t run, const char *broken) {
    char line[LINE];
    int at = snprintf(
        line, sizeof line, "run %llu: %s#%u:", (unsigned long long)run, plan->base->path, plan->base->number);

    for (unsigned i = 0; i < plan->count && at < LINE; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, " %s", plan->transforms[i]->name);
    if (at < LINE)
        snprintf(line + at, sizeof line - (size_t)at, ": %s", broken);
    printf("%s\n", line);
    fflush(stdout);
}

static bool do_run(uint64_t run) {
    uint64_t state = settings.seed * UINT64_C(0x9E3779B97F4A7C15) ^ run;
    struct iw_outer outer = {0};
    struct iw_verdict verdict;
    struct iw_trace trace;
    struct plan plan;
    char broken[LINE - 256] = "";

    iw_random_next(&state);
    make_plan(&plan, &state);
    iw_trace_init(&trace, plan.base->trace);
    apply(&plan, &trace, &outer, &state);
    iw_damage_settle(&trace, false, outer.snaplen != 0 || outer.edited != 0);
    alarm(HANG_SECONDS);
    if (trace.failed || !iw_verdict_of(&verdict, &trace, &outer, scratch))
        snprintf(broken, sizeof broken, "the capture cannot be made");
    else
        iw_property_check(plan.base, &trace, &verdict, plan.effect, broken, sizeof broken);
    alarm(0);
    iw_verdict_dispose(&verdict);
    iw_trace_dispose(&trace);
    if (broken[0] == '\0')
        return true;
    print_failure(&plan, run, broken);
    keep_capture(run);
    return false;
}

/* ---- processes ---- */

static void name_scratch(void) {
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

    snprintf(scratch, sizeof scratch, "%s/iw_metamorph.%ld", folder, (long)getpid());
}

static _Noreturn void run_worker(struct lane *lane) {
    uint64_t end = settings.first + settings.runs;

    name_scratch();
    for (; lane->run < end; lane->run += settings.jobs) {
        lane->broken += !do_run(lane->run);
        lane->done++;
    }
    unlink(scratch);
    _exit(0);
}

static pid_t start_worker(unsigned number) {
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0)
        run_worker(&lanes[number]);
    return child;
}

/* A worker process died while it judged the run that its lane names: reports that run as failed. The other
 * runs go on. */
static bool restart_worker(unsigned number, pid_t *child, int status) {
    struct lane *lane = &lanes[number];
    char name[64];

    snprintf(name, sizeof name, "/dev/shm/iw_metamorph.%ld", (long)*child);
    *child = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return false;
    printf("run %llu: %s\n", (unsigned long long)lane->run,
        WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "dies");
    unlink(name);
    lane->broken++;
    lane->done++;
    lane->run += settings.jobs;
    *child = start_worker(number);
    return true;
}

static int run_all(void) {
    pid_t children[JOBS_MAX] = {0};
    uint64_t broken = 0, done = 0;
    unsigned running = settings.jobs;
    int status;

    for (unsigned i = 0; i < settings.jobs; i++) {
        lanes[i] = (struct lane){.run = settings.first + i};
        children[i] = start_worker(i);
    }
    while (running > 0) {
        pid_t ended = wait(&status);

        for (unsigned i = 0; i < settings.jobs; i++)
            if (children[i] == ended && !restart_worker(i, &children[i], status))
                running--;
    }
    for (unsigned i = 0; i < settings.jobs; i++) {
        broken += lanes[i].broken;
        done += lanes[i].done;
    }
    printf("metamorph: %llu runs of %zu conversations, seed %llu: %llu passed, %llu failed\n",
        (unsigned long long)done, base_count, (unsigned long long)settings.seed,
        (unsigned long long)(done - broken), (unsigned long long)broken);
    return broken > 0 || done != settings.runs;
}

/* ---- beginning ---- */

/* The test uses a conversation only if it is one connection and the checker reads all of it. If two
 * connections use the same ports one after the other, only times and order tell which octet belongs to
 * which. The same holds for late segments of an earlier connection. */
static bool is_fit(const struct iw_property_base *base) {
    return base->verdict.exit != IW_EXIT_ENVIRONMENT && !base->verdict.limited && !base->verdict.outside &&
           (base->trace->sctp || base->verdict.streams == 1);
}

static bool add_bases(const char *path, const struct iw_trace_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        if (!iw_array_grow(&bases, base_count, sizeof *bases))
            return false;
        bases[base_count] = (struct iw_property_base){.path = path, .number = (unsigned)i + 1};
        if (set->traces[i].count == 0)
            continue;
        if (!iw_property_base_init(&bases[base_count], &set->traces[i], scratch))
            return false;
        if (!is_fit(&bases[base_count]))
            iw_property_base_dispose(&bases[base_count]);
        else
            base_count++;
    }
    return true;
}

/* Lines that the checker prints about captures without iWARP are dropped. */
static int mute_stderr(void) {
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int own = dup(STDERR_FILENO);

    if (null >= 0)
        dup2(null, STDERR_FILENO);
    close(null);
    return own;
}

static bool take_only(const char *name) {
    for (size_t i = 0; i < iw_transform_count; i++)
        if (strcmp(iw_transforms[i].name, name) == 0) {
            settings.only |= 1ul << i;
            return true;
        }
    return false;
}

static bool take_options(int argc, char **argv) {
    static const struct option options[] = {{"runs", required_argument, NULL, 'r'},
        {"first", required_argument, NULL, 'f'}, {"seed", required_argument, NULL, 's'},
        {"jobs", required_argument, NULL, 'j'}, {"keep", required_argument, NULL, 'k'},
        {"only", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'k')
            settings.keep = optarg;
        else if (option == 'r')
            settings.runs = strtoull(optarg, NULL, 0);
        else if (option == 'f')
            settings.first = strtoull(optarg, NULL, 0);
        else if (option == 's')
            settings.seed = strtoull(optarg, NULL, 0);
        else if (option == 'j')
            settings.jobs = (unsigned)strtoul(optarg, NULL, 0);
        else if (option != 'o' || !take_only(optarg))
            return false;
    }
    return optind < argc && settings.jobs > 0 && settings.jobs <= JOBS_MAX && settings.runs > 0;
}

int main(int argc, char **argv) {
    struct iw_trace_set *sets;
    int code, own;

    if (!take_options(argc, argv)) {
        fputs(usage, stderr);
        return 3;
    }
    sets = calloc((size_t)(argc - optind), sizeof *sets);
    lanes = mmap(NULL, sizeof *lanes * JOBS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sets == NULL || lanes == MAP_FAILED)
        return 3;
    name_scratch();
    own = mute_stderr();
    for (int i = optind; i < argc; i++)
        if (!iw_trace_set_read(&sets[i - optind], argv[i]) || !add_bases(argv[i], &sets[i - optind])) {
            dprintf(own, "iw_metamorph: %s: cannot be read and judged\n", argv[i]);
            return 3;
        }
    unlink(scratch);
    code = run_all();
    for (size_t i = 0; i < base_count; i++)
        iw_property_base_dispose(&bases[i]);
    for (int i = optind; i < argc; i++)
        iw_trace_set_dispose(&sets[i - optind]);
    free(bases);
    free(sets);
    return code;
}
