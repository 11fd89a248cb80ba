/** How many may be inside at a time: of all accounts together, and of each. */

export interface Room {
  /** How to leave, which is safe to call twice; or which of the bounds is reached. */
  enter(account: string): (() => void) | "account-full" | "full"
}

export interface RoomOptions {
  readonly most: number
  readonly mostOfAccount: number
}

export function createRoom({ most, mostOfAccount }: RoomOptions): Room {
  const byAccount = new Map<string, number>()
  let inAll = 0

  function add(account: string, change: 1 | -1): void {
    inAll += change
    const its = (byAccount.get(account) ?? 0) + change
    if (its === 0) byAccount.delete(account)
    else byAccount.set(account, its)
  }

  return {
    enter(account) {
      if ((byAccount.get(account) ?? 0) >= mostOfAccount) return "account-full"
      if (inAll >= most) return "full"
      add(account, 1)
      let isInside = true
      return () => {
        if (isInside) add(account, -1)
        isInside = false
      }
    },
  }
}
