#ifndef IW_FILE_MEMORY_H
#define IW_FILE_MEMORY_H

#include "iw_epan.h"

/* Memory that lives as long as the file is open, apart from Wireshark's own file scope: TCP walks lists of up
 * to 10,000 segments there for every segment that comes while none is acknowledged, and pays for each page
 * that others have put between them. */

/* A file is opened or closed. Opening one closes the one before. */
void iw_file_memory_open(void);
void iw_file_memory_close(void);

/* Between the two. */
wmem_allocator_t *iw_file_memory(void);

#endif
