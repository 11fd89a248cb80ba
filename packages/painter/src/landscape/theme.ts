/**
 * What a prompt asks to see: the land, the hour and what drifts through the air, read off some plain
 * English words. What the prompt does not name is chosen by the seed.
 */
import type { Random } from "../drawing/random.ts"

export const LANDS = ["mountains", "sea", "city", "forest", "desert"] as const
export type Land = (typeof LANDS)[number]
export const HOURS = ["dawn", "day", "dusk", "night"] as const
export type Hour = (typeof HOURS)[number]
export const AIRS = ["clear", "snow", "fireflies", "embers"] as const
export type Air = (typeof AIRS)[number]

export interface Theme {
  readonly land: Land
  readonly hour: Hour
  readonly air: Air
  readonly hasWater: boolean
  readonly hasAurora: boolean
}

/** Matched from the start of a word, so that plurals and compounds count too if they mean the same. */
const LAND_WORDS: Readonly<Record<Land, RegExp>> = {
  sea: /\b(seas?\b|seaside|ocean|beach|coast|island|waves?\b|sail|ship|boat|surf\b|whale|harbou?r)/,
  city: /\b(city|cities|street|skyline|tower|skyscraper|building|neon|urban|cars?\b|trains?\b|robot)/,
  forest: /\b(forest|wood|tree|jungle|garden|fox|deer|bears?\b|leaf|leaves|bamboo|meadow)/,
  desert: /\b(desert|dune|sand\b|sandy|camel|canyon|mars\b|savanna)/,
  mountains: /\b(mountain|alps\b|alpine|peak|hill|valley|glacier|fjord|lake|dragon|castle)/,
}
const HOUR_WORDS: Readonly<Record<Hour, RegExp>> = {
  night: /\b(night|moon|stars?\b|starry|dark|midnight|galax|space|cosm|neon|aurora|firefl)/,
  dusk: /\b(dusk|sunset|evening|golden|twilight|autumn|fire|embers?\b|warm|dramatic)/,
  dawn: /\b(dawn|sunrise|morning|mist\b|misty|fog|pastel|spring|soft\b|dream)/,
  day: /\b(day|noon|sunny|bright|summer|blue sky|clear sky)/,
}
const AIR_WORDS: Readonly<Record<Exclude<Air, "clear">, RegExp>> = {
  snow: /\b(snow|winter|blizzard|ice\b|icy|frost|christmas|glacier)/,
  fireflies: /\b(firefl|fairy|fairies|magic|enchant|dream|sparkl|glow)/,
  embers: /\b(fire|flame|embers?\b|dragon|lava|volcan|burn|spark)/,
}
const WATER_WORDS = /\b(water|lake|river|reflect|fjord|rain|wet\b|harbou?r|pond\b|mirror)/
const AURORA_WORDS = /\b(aurora|northern light|polar light|borealis|galax|cosm|alien|magic)/

/** What a request without a prompt shows. */
const DEFAULT_THEME: Theme = {
  land: "mountains",
  hour: "dusk",
  air: "clear",
  hasWater: true,
  hasAurora: false,
}

export function chooseTheme(prompt: string, random: Random): Theme {
  if (prompt.trim() === "") return DEFAULT_THEME
  const words = prompt.toLowerCase()
  const [land, hour] = [random.pick(LANDS), random.pick(HOURS)]
  const chance = random.next()
  const chosenLand = findNamed(LAND_WORDS, words) ?? land
  const chosenHour = findNamed(HOUR_WORDS, words) ?? hour
  return {
    land: chosenLand,
    hour: chosenHour,
    air: findNamed(AIR_WORDS, words) ?? "clear",
    hasWater:
      chosenLand === "sea" || WATER_WORDS.test(words) || (chosenLand !== "desert" && chance < 0.4),
    hasAurora: chosenHour === "night" && (AURORA_WORDS.test(words) || chance > 0.6),
  }
}

function findNamed<Name extends string>(
  words: Readonly<Record<Name, RegExp>>,
  text: string,
): Name | undefined {
  return (Object.keys(words) as Name[]).find((name) => words[name].test(text))
}
