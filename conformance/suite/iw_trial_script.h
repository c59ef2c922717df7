#pragma once

#include "iw_trial.h"

/* The way to one device: the script of the case plays the other side. Each trial has one case. */
extern const struct iw_trial_way iw_trial_script;
