#pragma once

/* Raises the soft limit of open files of this process to the hard limit. */
void iw_file_limit_raise(void);
