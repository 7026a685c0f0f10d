export function html(strings: TemplateStringsArray, ...values: unknown[]): unknown;
export const nothing: symbol;
export function render(value: unknown, container: Element): unknown;
export function repeat<T>(items: Iterable<T>, key: (item: T, index: number) => unknown, template: (item: T, index: number) => unknown): unknown;
