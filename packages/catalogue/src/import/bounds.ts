/**
 * The bounds that a provider doesn't state and a model must have: wide enough for what people ask for, small enough
 * for what anybody may send. Each is told to the person who imports.
 */

export const BOUNDS = {
  /** The longest prompt of most models. */
  characters: 5_000,
  items: 10,
  /** Sizes, steps and strengths. */
  number: [0, 4_096],
  /** What every provider here takes: 31 bits. */
  seed: [0, 2_147_483_647],
  /** Counts are bought one by one. */
  count: [1, 4],
  /** Seconds are bought too. */
  seconds: [1, 10],
  /** How long it is at most where no parameter says it, in seconds. */
  length: { video: 10, audio: 60 },
} as const

/** What a description may have: more would only fill the file. */
export const DESCRIPTION_CHARACTERS = 500

/** Parameters by which a provider counts what it makes, the usual first. */
export const COUNTS: readonly string[] = [
  "num_images",
  "num_outputs",
  "number_of_images",
  "num_videos",
  "number_of_videos",
  "num_samples",
  "image_count",
  "batch_size",
  "max_images",
  "n",
]

/** How long it is to be. */
export const SECONDS: readonly string[] = [
  "duration",
  "duration_seconds",
  "duration_in_seconds",
  "seconds",
  "seconds_total",
  "total_seconds",
  "video_length",
  "audio_length",
  "length",
]

export function toUsualBounds(name: string): readonly [least: number, most: number] {
  if (/(?:^|_)seed$/i.test(name)) return BOUNDS.seed
  if (COUNTS.includes(name)) return BOUNDS.count
  return SECONDS.includes(name) ? BOUNDS.seconds : BOUNDS.number
}
