#ifndef IW_STAT_TREE_H
#define IW_STAT_TREE_H

/* Statistics tree: what was sent, how long it was and what was wrong with it. `tshark -q -z iwarp,tree`. */
void iw_stat_tree_register(void);

#endif
