/**
 * The request's media as a rendering gets them: each is read when it is needed, so that no more than
 * one is held at a time. They are untrusted, so the watcher of a rendering is told when the
 * reading is over.
 */
export type ReadMedia = () => Promise<Uint8Array>

export interface MediaReading {
  /** Called once all media have been read. */
  readonly paint: () => void
}
