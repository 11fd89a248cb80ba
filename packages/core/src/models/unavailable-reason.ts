/** Why a model can't be made now, though it can be asked for. */

/**
 * `no_worker`: no process works on tasks. `no_channel`: some do, and none of them has a channel that makes it.
 * `paused`: an operator has paused every channel that does.
 */
export const UNAVAILABLE_REASONS = ["no_worker", "no_channel", "paused"] as const

export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number]
