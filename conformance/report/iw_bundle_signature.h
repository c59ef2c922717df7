#pragma once

#include <stdio.h>

#include "iw_status.h"

/* Detached signatures of bundles, as `ssh-keygen -Y` makes and verifies them. They are in the file of the
 * bundle's name with ".sig" added. */

#define IW_BUNDLE_SIGNATURE_NAMESPACE "warpcheck-bundle" /* so that no other signature of the key fits */

enum iw_bundle_signature {
    IW_BUNDLE_UNSIGNED,  /* there is no signature */
    IW_BUNDLE_UNCHECKED, /* there is a signature, but no key to verify it with */
    IW_BUNDLE_SIGNED,    /* the signature is valid */
    IW_BUNDLE_FORGED,    /* the signature is not valid for the bundle and the key */
};

enum { IW_BUNDLE_SIGNATURE_TEXT_OCTETS = 400 };

/* Signs the bundle at `path` with the private key file `key`, or with the key of ssh-agent whose public key
 * file is `key`. On failure adds a line to `diagnostics` and returns IW_ERR_IO or IW_ERR_NOMEM. */
enum iw_status iw_bundle_sign(const char *path, const char *key, FILE *diagnostics);

/* Verifies the signature in the file `signature` (NULL: PATH.sig) by the public key file `key` (NULL: none).
 * Writes a line about the signature to `text`. Returns IW_ERR_IO, IW_ERR_FORMAT or IW_ERR_NOMEM, after a line
 * in `diagnostics`, if it cannot be verified at all. */
enum iw_status iw_bundle_signature_verify(enum iw_bundle_signature *found, const char *path,
    const char *signature, const char *key, char text[IW_BUNDLE_SIGNATURE_TEXT_OCTETS], FILE *diagnostics);
