/** The mark of the house: a lamp whose light does not spoil the paper. */
import type { JSX } from "preact"
import "./lamp.css"

export function Lamp(): JSX.Element {
  return <span class="lamp" aria-hidden="true" />
}
