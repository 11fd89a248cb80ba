/**
 * What a film knows of reference videos and recordings: measurements and a hash, never their bytes. Whoever
 * asks for a film has measured them.
 */

/** What a film takes from a recording: its tempo, and a seed. */
export interface ReferenceSound {
  readonly durationMs: number
  /** Of its bytes. */
  readonly sha256: string
}

/** The same of a video, and its shape, as it is displayed. */
export interface ReferenceVideo extends ReferenceSound {
  readonly width: number
  readonly height: number
}
