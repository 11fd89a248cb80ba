/** Half of a number, rounded down. A shift would cut it to 32 bits. */
export function halve(value: number): number {
  return Math.floor(value / 2)
}
