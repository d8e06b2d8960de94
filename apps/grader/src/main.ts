import { bootService } from '@assay/service-kit';
import { grader } from './grader';

void bootService(grader);
