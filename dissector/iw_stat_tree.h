#ifndef IW_STAT_TREE_H
#define IW_STAT_TREE_H

/* Statistics tree: counts of what was sent, of sizes and of findings. `tshark -q -z iwarp,tree`. */
void iw_stat_tree_register(void);

#endif
