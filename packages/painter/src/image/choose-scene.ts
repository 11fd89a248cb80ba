/**
 * Which scene a prompt gets: the one that most of its words name, or one by chance if none is named.
 * A number is drawn in either case, so that one word more does not change the rest of the picture.
 */
import { paintAttractor } from "../scenes/attractor.ts"
import { landscapeInks, paintLandscape } from "../scenes/landscape.ts"
import { paintPaper } from "../scenes/paper.ts"
import type { Scene } from "../scenes/scene.ts"
import { paintSilk } from "../scenes/silk.ts"
import { paintStrands } from "../scenes/strands.ts"
import type { Random } from "../drawing/random.ts"
import type { Tone } from "../drawing/tone.ts"

export interface SceneChoice {
  readonly paint: Scene
  /** The inks of a scene that has its own colours, for a request that names none. */
  readonly inksOf?: (prompt: string) => readonly Tone[]
  readonly words: ReadonlySet<string>
}

const SCENES: readonly [SceneChoice, ...SceneChoice[]] = [
  {
    paint: paintLandscape,
    inksOf: landscapeInks,
    words: toWords(
      `mountain mountains alps peak peaks hill hills valley glacier lake pond sea seaside ocean coast
       beach lighthouse harbour harbor ship boat sunset sunrise dawn dusk desert dune dunes savanna
       forest woods jungle trees landscape horizon sky river fjord island winter snow moon night bay
       shore village castle city cities street skyline skyscraper skyscrapers tower towers fireflies`,
    ),
  },
  choice(
    paintPaper,
    `paper map maps canyon layers layered terrain topography reef coral islands relief cut collage
     craft origami cave geology strata`,
  ),
  choice(
    paintSilk,
    `silk smoke wind dream fabric cloth marble liquid satin velvet cloud clouds fog ink abstract
     wave waves flame fire aurora`,
  ),
  choice(
    paintStrands,
    `grass field hair fur thread threads storm music dance current meadow wheat feather feathers
     river lines movement wool rain`,
  ),
  choice(
    paintAttractor,
    `galaxy star stars cosmos universe nebula space light mathematics math machine chaos orbit
     quantum physics jellyfish ghost`,
  ),
]

export function chooseScene(words: ReadonlySet<string>, random: Random): SceneChoice {
  let chosen = random.pick(SCENES)
  let most = 0
  for (const scene of SCENES) {
    const spoken = [...words].filter((word) => scene.words.has(word)).length
    if (spoken > most) {
      chosen = scene
      most = spoken
    }
  }
  return chosen
}

/** A text's words, lower-case. */
export function toWords(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}+/gu))
}

function choice(paint: Scene, words: string): SceneChoice {
  return { paint, words: toWords(words) }
}
