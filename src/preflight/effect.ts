/** What an apply of one object would do to pods. */
export interface Effect {
  /**
   * `starts`: pods that were not there; `rolls`: replaces pods step by step; `restarts`: ends pods before others take their place; `scales`:
   * more or fewer of the same; `waits`: nothing, until somebody does something more; `nothing`: no pod is touched.
   */
  readonly does: 'starts' | 'rolls' | 'restarts' | 'scales' | 'waits' | 'nothing';
  /** What the object does, without its name and without an end; empty where there is nothing to say. */
  readonly text: string;
}

export const NO_EFFECT: Effect = { does: 'nothing', text: '' };
