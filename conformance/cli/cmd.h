#ifndef CMD_H
#define CMD_H

/* The subcommands of warpcheck. Their name is argv[0]; they return an exit code (iw_exit.h). */

int cmd_check(int argc, char **argv);
int cmd_differential(int argc, char **argv);
int cmd_extcap(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_synth(int argc, char **argv);
int cmd_verify_bundle(int argc, char **argv);

#endif
