/**
 * The progress of a prompt, from the server's messages about its nodes. A node counts for as many steps as it
 * reports, or for one: a sampler of twenty steps is most of the work. Until a node has reported its steps the
 * progress is unknown, since loading a checkpoint may take longer than all the rest.
 */

export interface PromptProgress {
  hear(type: string, data: Readonly<Record<string, unknown>>): void
  /** 1 to 99; undefined if it is unknown. */
  toPercent(): number | undefined
}

export function createPromptProgress(nodes: readonly string[]): PromptProgress {
  const known = new Set(nodes)
  const done = new Set<string>()
  const steps = new Map<string, number>()
  let current: string | undefined
  let value = 0

  function finish(node: unknown): void {
    if (typeof node === "string" && known.has(node)) done.add(node)
  }

  return {
    hear(type, data) {
      const { max, node, nodes: cached, value: at } = data
      if (type === "execution_cached" && Array.isArray(cached)) cached.forEach(finish)
      if (type === "executed") finish(node)
      if (type === "executing") {
        finish(current)
        current = typeof node === "string" ? node : undefined
        value = 0
      }
      if (type !== "progress" || typeof node !== "string" || !known.has(node)) return
      if (!isAmount(max) || !isAmount(at) || max < 1) return
      current = node
      steps.set(node, max)
      value = Math.min(at, max)
    },
    toPercent() {
      if (steps.size === 0) return undefined
      const weigh = (node: string): number => steps.get(node) ?? 1
      const total = nodes.reduce((sum, node) => sum + weigh(node), 0)
      const isOpen = current !== undefined && !done.has(current)
      const reached = [...done].reduce((sum, node) => sum + weigh(node), isOpen ? value : 0)
      return Math.min(99, Math.max(1, Math.floor((100 * reached) / total)))
    },
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0
}
