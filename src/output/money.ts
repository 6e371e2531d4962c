/** An amount with two digits after the point, or two significant ones if it is small: `1.50`, `0.0012`. */
function amountText(amount: number): string {
  if (amount >= 0.01 || amount === 0) {
    return amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  }
  return amount.toLocaleString('en-US', { maximumSignificantDigits: 2 });
}

/** Amounts by currency: `1.50 USD`, `1.50 USD + 0.20 EUR`; empty for none. */
export function moneyText(amounts: ReadonlyMap<string, number>): string {
  return [...amounts].map(([currency, amount]) => `${amountText(amount)} ${currency}`).join(' + ');
}
