__managed__ int shared_by_all;
