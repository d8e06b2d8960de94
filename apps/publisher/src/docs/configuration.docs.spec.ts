import { configurationFile, configurationPage } from '@assay/service-kit';
import { expectFresh } from '@assay/testing';
import { configSchema } from '../config';

test('the page of this service says what its schema says', () => {
  expectFresh(configurationFile('publisher'), configurationPage('publisher', configSchema));
});
