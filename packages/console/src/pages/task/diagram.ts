/** The shape of the state diagram's geometry, which the build computes and the task page draws. Units are pixels. */

export interface DiagramNode {
  readonly name: string
  /** No task rests here: the first event leaves it. */
  readonly isBeginning: boolean
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface DiagramEdge {
  readonly from: string
  readonly to: string
  /** The events that lead this way. */
  readonly events: readonly string[]
  /** For the `d` of an SVG path. */
  readonly path: string
  readonly labelX: number
  readonly labelY: number
}

export interface StateDiagram {
  readonly width: number
  readonly height: number
  readonly nodes: readonly DiagramNode[]
  readonly edges: readonly DiagramEdge[]
}
