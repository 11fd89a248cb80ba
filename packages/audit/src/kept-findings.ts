/** The findings of a run. There may be any number of them: all are counted, the first are kept. */
export interface FindingReport<Finding> {
  readonly findings: readonly Finding[]
  /** All; the first of them are in `findings`. */
  readonly findingCount: number
}

export interface KeptFindings<Finding> {
  readonly add: (finding: Finding) => void
  toReport(): FindingReport<Finding>
}

/** Enough to see what kind of damage it is. */
export const KEPT_FINDINGS = 100

export function createKeptFindings<Finding>(kept: number = KEPT_FINDINGS): KeptFindings<Finding> {
  const findings: Finding[] = []
  let findingCount = 0
  return {
    add(finding) {
      findingCount += 1
      if (findings.length < kept) findings.push(finding)
    },
    toReport: () => ({ findings, findingCount }),
  }
}
