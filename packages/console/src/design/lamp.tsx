/** The logo: a darkroom lamp. */
import type { JSX } from "preact"
import "./lamp.css"

export function Lamp(): JSX.Element {
  return <span class="lamp" aria-hidden="true" />
}
