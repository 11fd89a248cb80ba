/**
 * What a landscape shows, decided before anything is painted: the land, the hour, the weather and the
 * colours. It says nothing of a size, a moment or a camera, so a picture and every frame of a film of
 * the same prompt show the same landscape.
 */
import { createRandom } from "../drawing/random.ts"
import { chooseColours, type Colours } from "./colours.ts"
import { chooseTheme, type Theme } from "./theme.ts"

export interface Landscape {
  readonly theme: Theme
  readonly colours: Colours
  /** Decides the shapes. */
  readonly seed: string
}

/** `seed` decides what the prompt leaves open. */
export function describeLandscape(prompt: string, seed: string): Landscape {
  const random = createRandom(seed)
  const theme = chooseTheme(prompt, random.fork("theme"))
  return { theme, colours: chooseColours(theme, random.fork("palette")), seed }
}
