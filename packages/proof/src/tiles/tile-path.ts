/**
 * The names under which tiles are files or resources, by C2SP tlog-tiles: `tile/0/x001/x234/067` is the full tile
 * 1234067 of level 0, and `tile/1/000.p/3` the first three hashes of a tile.
 */
import { TILE_WIDTH, type SizedTile } from "./tile.ts"

/** The specification allows levels to 63; the numbers here end before level 7. */
const MOST_LEVELS = 64

/** Three digits an element, and an index has at most sixteen. */
const PATH = /^tile\/(0|[1-9]\d?)\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

export function toTilePath({ level, index, width }: SizedTile): string {
  const groups = [index % 1000]
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(rest % 1000)
  }
  const elements = groups.map((group, place) => {
    const digits = String(group).padStart(3, "0")
    return place < groups.length - 1 ? `x${digits}` : digits
  })
  const partial = width === TILE_WIDTH ? "" : `.p/${width}`
  return `tile/${level}/${elements.join("/")}${partial}`
}

/** Undefined for a path that `toTilePath` does not give: a tile has one name. */
export function parseTilePath(path: string): SizedTile | undefined {
  const [, level, elements = "", width] = PATH.exec(path) ?? []
  if (level === undefined || Number(level) >= MOST_LEVELS) return undefined
  const index = Number(elements.replaceAll(/[x/]/g, ""))
  const tile = {
    level: Number(level),
    index,
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  return Number.isSafeInteger(index) && toTilePath(tile) === path && tile.width <= TILE_WIDTH
    ? tile
    : undefined
}
