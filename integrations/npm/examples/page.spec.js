import { expect, test } from '@tapedeck/tapedeck/playwright';

for (const way of ['first', 'second']) {
  test(`the page shows the device, a ${way} time beside itself`, async ({ page, tape }) => {
    await page.goto('/');
    await expect(page.locator('#name')).toHaveText('attic');
    await expect(page.locator('#cpu')).toHaveText('CPU 6 %');
    await page.reload();
    await expect(page.locator('#cpu')).toHaveText('CPU 9 %');
    await tape.assertCalled('Core.System.Utilization/1/get', { count: 2 });
  });
}
