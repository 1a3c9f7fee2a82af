/** One line of the result. An empty cell: not measured, or there is nothing to compare. */
export interface Row {
  readonly measure: string;
  readonly gate: string;
  readonly kubectl?: string;
  readonly helm?: string;
  /** Gate ÷ kubectl, both of the same run. */
  readonly ratio?: number;
  readonly aim?: { readonly text: string; readonly reached: boolean };
}

const HEAD = ['| measure | gate | kubectl | Helm 4 | gate ÷ kubectl | aim |', '|---|---|---|---|---|---|'];

export function markdownRow({ measure, gate, kubectl = '', helm = '', ratio, aim }: Row): string {
  const quotient = ratio === undefined ? '' : ratio.toFixed(2);
  const wanted = aim === undefined ? '' : `${aim.text}: ${aim.reached ? 'reached' : '**not reached**'}`;
  return `| ${[measure, gate, kubectl, helm, quotient, wanted].join(' | ')} |`;
}

export function markdownTable(rows: readonly Row[]): string {
  return [...HEAD, ...rows.map(markdownRow)].join('\n');
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The nearest-rank quantile; NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** `2.7 s (2.6–3.1)`: the median, and the range if there is one. */
export function spread(values: readonly number[], unit: string, digits: number): string {
  if (values.length === 0) return '';
  const text = (value: number) => value.toFixed(digits);
  const range = `${text(Math.min(...values))}–${text(Math.max(...values))}`;
  return `${text(median(values))} ${unit}${values.length === 1 ? '' : ` (${range})`}`;
}
