/**
 * The request's media as a rendering gets them: read one at a time, when each is needed, so that no
 * more than one is ever held. They come from strangers, so the reading is told apart from the rest.
 */
export type ReadMedia = () => Promise<Uint8Array>

export interface MediaReading {
  /** To be called once nothing of the media is going to be read any more. */
  readonly paint: () => void
}
